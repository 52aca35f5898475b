import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';

/** A part that cannot be drawn says so and does not affect the rest of the page. */
export function Guarded({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  return (
    <p class="notice bad" role="alert">
      This part cannot be shown: {error instanceof Error ? error.message : String(error)}
    </p>
  );
}
