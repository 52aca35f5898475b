import { useEffect, useState } from 'preact/hooks';
import { NewRun } from './new-run.tsx';
import { useRoute } from './route.ts';
import { RunList } from './run-list.tsx';
import { RunPage } from './run-page.tsx';
import type { Source } from './source.ts';
import { currentTheme, toggleTheme } from './theme.ts';

export function App({ source }: { source: Source }) {
  const route = useRoute();
  const run = source.report ?? route.run;
  return (
    <>
      <button type="button" class="skip" onClick={skipToMain}>
        Skip to content
      </button>
      <header class="topbar">
        <a
          class="brand"
          href={source.report === undefined ? '#/' : undefined}
          aria-label="Charrette, all runs"
        >
          <Mark />
          Charrette
        </a>
        <span class="grow" />
        <ThemeButton />
      </header>
      <main id="main" tabIndex={-1}>
        {route.isNew === true && source.report === undefined ? (
          <NewRun source={source} />
        ) : run === undefined ? (
          <RunList source={source} />
        ) : (
          <RunPage key={run} source={source} run={run} section={route.section} />
        )}
      </main>
    </>
  );
}

/** A link to an element would be taken for an address of the page. */
function skipToMain(): void {
  document.getElementById('main')?.focus();
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="7" class="mark-ground" />
      <path d="M7 10h9M12 16h13M7 22h12" class="mark-lines" />
      <circle cx="23" cy="10" r="2.6" class="mark-dot" />
    </svg>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme());
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      const typing =
        target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;
      if (event.key === 't' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey)
        setTheme(toggleTheme());
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <button
      type="button"
      class="button quiet"
      onClick={() => setTheme(toggleTheme())}
      aria-label={`Switch to ${other} colours`}
      title={`Switch to ${other} colours (t)`}
    >
      <svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true">
        <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.4" />
        <path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor" />
      </svg>
    </button>
  );
}
