import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { text } from '../text/text.js';
import { Dialog } from './dialog.js';
import { isConflict } from './edit.js';
import { ProblemBox } from './problem.js';

/** An act on one object, by one operation. */
export interface ActProps {
  label: string;
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  /** What an act does that ends access, which is read before it is done. */
  danger?: string;
  /** The same of an act that has to be confirmed and ends no access. */
  asks?: string;
  onDone?: (answer: unknown) => void;
}

/** A button that calls one operation, and reads the page anew. */
export function Act(props: ActProps) {
  const { label, danger, asks = danger } = props;
  const className = danger === undefined ? undefined : 'danger';
  const [isAsking, setAsking] = useState(false);
  if (asks === undefined) return <Button {...props} className={undefined} />;
  return (
    <>
      <button type="button" className={className} onClick={() => setAsking(true)}>
        {label}
      </button>
      {isAsking && (
        <Dialog title={label} onClose={() => setAsking(false)}>
          <p>{asks}</p>
          <div className="row">
            <Button
              {...props}
              className={className}
              onDone={(answer) => {
                setAsking(false);
                props.onDone?.(answer);
              }}
            />
            <button type="button" onClick={() => setAsking(false)}>
              {text.act.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function Button({
  label,
  method = 'POST',
  path,
  body,
  onDone,
  className,
}: ActProps & { className: string | undefined }) {
  const cache = useQueryClient();
  const act = useMutation({
    mutationFn: () => call(method, path, body),
    // An answer can have a secret: it does not stay in the memory of the page.
    gcTime: 0,
    onSuccess: async (answer) => {
      onDone?.(answer);
      await cache.invalidateQueries();
    },
  });
  return (
    <>
      <button type="button" className={className} disabled={act.isPending} onClick={() => act.mutate()}>
        {label}
      </button>
      {isConflict(act.error) ? (
        // The words name what was asked; the page then shows what the server has.
        <ProblemBox error={act.error} retry={() => void cache.invalidateQueries()} retryWords={text.both.now} />
      ) : (
        act.error !== null && <ProblemBox error={act.error} />
      )}
    </>
  );
}
