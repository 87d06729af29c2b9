import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, Problem } from '../../api/client.js';
import { Dialog } from '../../parts/dialog.js';
import { ProblemBox } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';

const words = text.directories.connect;

interface Ending {
  label: string;
  path: string;
  /** What ends; that of one credential unless given. */
  lead?: string;
  onEnded?: () => void;
}

/** A button that ends a credential, or all of a directory. One that was used in the last 24 hours needs a second word. */
export function EndCredential({ name, ...ending }: Ending & { name: string }) {
  const { label } = ending;
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className="danger" aria-label={`${label}: ${name}`} onClick={() => setAsking(true)}>
        {label}
      </button>
      {isAsking && (
        <Dialog title={`${label}: ${name}`} onClose={() => setAsking(false)}>
          <Confirmation {...ending} close={() => setAsking(false)} />
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

function Confirmation({ label, path, lead = words.revokes, onEnded, close }: Ending & { close: () => void }) {
  const cache = useQueryClient();
  const end = useMutation({
    mutationFn: (isForced: boolean) => call('DELETE', path, undefined, { force: isForced ? 'true' : undefined }),
    onSuccess: async () => {
      close();
      onEnded?.();
      await cache.invalidateQueries();
    },
  });
  const lastUse = lastUseIn(end.error);
  return (
    <>
      <p>{lead}</p>
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
