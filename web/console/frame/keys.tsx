import { useEffect, useState } from 'react';
import { Dialog } from '../../parts/dialog.js';
import { text } from '../../text/text.js';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

/** The keys that work on each page: Ctrl or Cmd K, `/`, and `?` for the list of them. */
export function Keys({ search }: { search: () => void }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        search();
      } else if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
        return;
      } else if (event.key === '/') {
        event.preventDefault();
        const field = document.querySelector<HTMLElement>('[data-search]');
        if (field === null) search();
        else field.focus();
      } else if (event.key === '?') {
        setShown(true);
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [search]);
  if (!isShown) return null;
  return (
    <Dialog title={text.keys.title} onClose={() => setShown(false)}>
      <dl className="facts">
        {text.keys.list.map(([key, words]) => (
          <div key={key} className="contents">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => setShown(false)}>
        {text.act.close}
      </button>
    </Dialog>
  );
}
