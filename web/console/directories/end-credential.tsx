import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, Problem } from '../../api/client.js';
import { Dialog } from '../../parts/dialog.js';
import { ProblemBox } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';

const words = text.directories.connect;

/** A button that ends a credential. One that was used in the last 24 hours needs a second word. */
export function EndCredential({ label, name, path }: { label: string; name: string; path: string }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className="danger" aria-label={`${label}: ${name}`} onClick={() => setAsking(true)}>
        {label}
      </button>
      {isAsking && (
        <Dialog title={`${label}: ${name}`} onClose={() => setAsking(false)}>
          <Confirmation label={label} path={path} close={() => setAsking(false)} />
        </Dialog>
      )}
    </>
  );
}

/** Returns when the credential was last used, where the API refuses its end because of that. */
function lastUseIn(error: unknown): string | null {
  const isUsed = error instanceof Problem && error.code === 'credential_in_use';
  const at = isUsed ? error.body['last_used_at'] : null;
  return typeof at === 'string' ? at : null;
}

function Confirmation({ label, path, close }: { label: string; path: string; close: () => void }) {
  const cache = useQueryClient();
  const end = useMutation({
    mutationFn: (isForced: boolean) => call('DELETE', path, undefined, { force: isForced ? 'true' : undefined }),
    onSuccess: async () => {
      close();
      await cache.invalidateQueries();
    },
  });
  const lastUse = lastUseIn(end.error);
  return (
    <>
      <p>{words.revokes}</p>
      {lastUse !== null && (
        <div className="problem-box tight" role="alert">
          <p>
            {words.used} <Time at={lastUse} />. {words.usedNext}
          </p>
        </div>
      )}
      {end.error !== null && lastUse === null && <ProblemBox error={end.error} />}
      <div className="row">
        <button type="button" className="danger" disabled={end.isPending} onClick={() => end.mutate(lastUse !== null)}>
          {lastUse === null ? label : words.nevertheless}
        </button>
        <button type="button" onClick={close}>
          {text.act.cancel}
        </button>
      </div>
    </>
  );
}
