import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A window above the page; Escape and its button close it, and the focus goes back to where it was. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-label={props.title} onClose={props.onClose}>
      <header>
        <h2 dir="auto">{props.title}</h2>
        <button type="button" class="button quiet" onClick={props.onClose}>
          Close
        </button>
      </header>
      <div class="dialog-body">{props.children}</div>
    </dialog>
  );
}
