import { useLayoutEffect, useState } from 'preact/hooks';
import { hashOf } from './route.ts';

/** The way through a run. j and k go to the next and the previous section. */
export function SectionNav({ run, sections }: { run: string; sections: { id: string; title: string }[] }) {
  const ids = sections.map(({ id }) => id).join(' ');
  const current = useCurrent(ids);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      if (target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null) return;
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
      if (step === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      const all = ids.split(' ');
      goTo(all[Math.max(0, Math.min(all.length - 1, all.indexOf(current) + step))] ?? '');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [ids, current]);
  return (
    <nav class="section-nav" aria-label="Sections of the run">
      <ul>
        {sections.map(({ id, title }) => (
          <li key={id}>
            <a
              href={hashOf({ run, section: id })}
              aria-current={id === current ? 'true' : undefined}
              onClick={() => goTo(id)}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function goTo(id: string): void {
  const section = document.getElementById(id);
  section?.scrollIntoView();
  section?.focus({ preventScroll: true });
}

/** The last section whose beginning has been scrolled past. */
function useCurrent(ids: string): string {
  const [current, setCurrent] = useState(ids.split(' ')[0] ?? '');
  // Before the next picture: a section that came in above the others is the current one from then on.
  useLayoutEffect(() => {
    let frame: number | undefined;
    const look = () => {
      frame = undefined;
      const passed = ids
        .split(' ')
        .filter((id) => (document.getElementById(id)?.getBoundingClientRect().top ?? Infinity) < 140);
      const atEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 4;
      setCurrent((atEnd ? ids.split(' ').at(-1) : passed.at(-1)) ?? ids.split(' ')[0] ?? '');
    };
    const onScroll = () => {
      frame ??= requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', onScroll, { passive: true });
    return () => {
      removeEventListener('scroll', onScroll);
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [ids]);
  return current;
}
