import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../../api/client.js';
import { ME, openByLink } from '../../api/session.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';

/** What a one-use link opens. The button uses the link up: a program that only follows links does not. */
export function LinkPage({ secret, done }: { secret: string; done: () => void }) {
  const cache = useQueryClient();
  const open = useMutation({
    mutationFn: () => openByLink(secret),
    onSuccess: (me) => {
      cache.setQueryData(ME, me);
      done();
    },
  });
  const { error } = open;
  const isOver = error instanceof Problem && error.code === 'console_link_over';
  return (
    <main className="entry stack">
      <h1>{text.entry.linkTitle}</h1>
      {isOver ? (
        <>
          <p role="alert">{text.entry.linkOver}</p>
          <p>{text.entry.linkAgain}</p>
          <button type="button" onClick={done}>
            {text.entry.otherWay}
          </button>
        </>
      ) : (
        <>
          <p>{text.entry.linkLead}</p>
          {error !== null && <ProblemBox error={error} />}
          <button type="button" className="main" disabled={open.isPending} onClick={() => open.mutate()}>
            {text.entry.linkButton}
          </button>
        </>
      )}
    </main>
  );
}
