import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { call, Problem } from '../api/client.js';
import { text } from '../text/text.js';
import { Administrators } from './administrators.js';
import { Dialog } from './dialog.js';
import { ProblemBox } from './problem.js';

/** An act on many users, by an operation with `dry_run` and `count`. */
export interface CountedActProps {
  /** What the button says, such as "Release". */
  label: string;
  path: string;
  body: Readonly<Record<string, unknown>>;
  /** Returns the effect on a number of users, in words; `ruled` of them stay as they are, since a rule applies. */
  consequence: (count: number, ruled: number) => string;
  isDangerous?: boolean;
  onDone?: () => void;
}

/** A button whose act counts first, and is done once the number was typed. */
export function CountedAct({ label, path, body, consequence, isDangerous, onDone }: CountedActProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={isDangerous ? 'danger' : undefined} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={label} onClose={() => setOpen(false)}>
          <Confirmation
            {...{ label, path, body, consequence }}
            isDangerous={isDangerous ?? false}
            close={() => setOpen(false)}
            onDone={onDone}
          />
        </Dialog>
      )}
    </>
  );
}

/** Returns whether the number of users is another one than that which was confirmed. */
function isChanged(error: unknown): boolean {
  return error instanceof Problem && (error.code === 'count_changed' || error.code === 'administrators_unconfirmed');
}

/** What a dry run answers. */
interface Counted {
  count: number;
  /** How many of the users administer; missing where the act takes nothing from them. */
  administrators?: number;
  rule_still_applies?: number;
}

function Confirmation({
  label,
  path,
  body,
  consequence,
  isDangerous,
  close,
  onDone,
}: CountedActProps & { close: () => void }) {
  const cache = useQueryClient();
  const [typed, setTyped] = useState('');
  const [isAgreed, setAgreed] = useState(false);
  const counting = useMutation({
    mutationFn: () => call<Counted>('POST', path, { ...body, dry_run: true }),
  });
  const administrators = isDangerous ? (counting.data?.administrators ?? 0) : 0;
  const acting = useMutation({
    mutationFn: (count: number) =>
      call('POST', path, { ...body, count, ...(administrators === 0 ? {} : { administrators }) }),
    onSuccess: async () => {
      await cache.invalidateQueries();
      onDone?.();
      close();
    },
    onError: (error) => {
      // Others have left or come since: the new number is shown and asked for.
      if (!isChanged(error)) return;
      setAgreed(false);
      counting.mutate();
    },
  });
  if (counting.isIdle) counting.mutate();
  const count = counting.data?.count;
  const isMeant = count !== undefined && typed === String(count) && (administrators === 0 || isAgreed);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (count !== undefined && isMeant) acting.mutate(count);
  };
  return (
    <form className="stack" onSubmit={submit}>
      {counting.error !== null && <ProblemBox error={counting.error} retry={() => counting.mutate()} />}
      {acting.error !== null && <ProblemBox error={acting.error} />}
      {isChanged(acting.error) && acting.variables !== undefined && count !== undefined && (
        <p>{text.act.counted(acting.variables, count)}</p>
      )}
      <p aria-live="polite">
        {count === undefined ? text.act.counting : consequence(count, counting.data?.rule_still_applies ?? 0)}
      </p>
      {administrators > 0 && (
        <Administrators words={text.administrators.among(administrators)} isAgreed={isAgreed} onAgree={setAgreed} />
      )}
      {count !== undefined && count > 0 && (
        <label>
          {text.act.type(count)}
          <input
            value={typed}
            inputMode="numeric"
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
            autoFocus
          />
        </label>
      )}
      <div className="row">
        <button
          type="submit"
          className={isDangerous ? 'danger' : 'main'}
          disabled={count === 0 || !isMeant || acting.isPending}
        >
          {label}
        </button>
        <button type="button" onClick={close}>
          {text.act.cancel}
        </button>
      </div>
    </form>
  );
}
