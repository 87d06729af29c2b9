import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api/client.js';
import { resumeSession, useSessionEnd } from '../../api/session-end.js';
import { ME, type Me } from '../../api/session.js';
import { ExactTime } from '../../parts/time.js';
import { text } from '../../text/text.js';
import { signInAddress } from '../entry/sign-in-page.js';

/** Says above the page that the browser is offline, that the session has ended, or that a tenant is only read. */
export function SessionBar({ me }: { me: Me | undefined }) {
  const end = useSessionEnd();
  const isOffline = useIsOffline();
  if (isOffline) return <Bar>{text.bar.offline}</Bar>;
  if (end !== null) return <Ended code={end} me={me} />;
  const until = me?.session.entered_until;
  if (until != null) {
    return <Entered tenantId={me!.tenant!.id} until={until} />;
  }
  return null;
}

/** The operator has entered a tenant, and can leave it. */
function Entered({ tenantId, until }: { tenantId: string; until: string }) {
  const cache = useQueryClient();
  const leave = useMutation({
    mutationFn: () => call('POST', `/tenants/${tenantId}/leave`, {}),
    onSuccess: () => cache.resetQueries(),
  });
  return (
    <Bar>
      <span>
        {text.bar.entered} <ExactTime at={until} />
      </span>
      <button type="button" disabled={leave.isPending} onClick={() => leave.mutate()}>
        {text.bar.leaveTenant}
      </button>
    </Bar>
  );
}

function Bar({ children }: { children: React.ReactNode }) {
  return (
    <div className="session-bar" role="status">
      {children}
    </div>
  );
}

/** The sign-in opens in another tab, so that this one keeps what was typed. */
function Ended({ code, me }: { code: string; me: Me | undefined }) {
  const cache = useQueryClient();
  const email = me?.session.user?.email ?? null;
  const again = async (): Promise<void> => {
    cache.setQueryData(ME, await call<Me>('POST', '/console/session', {}));
    resumeSession();
    await cache.invalidateQueries();
  };
  return (
    <Bar>
      <span>{code === 'sign_in_again' ? text.bar.signInAgain : text.bar.ended}</span>
      {email === null ? (
        <span>{text.bar.newLink}</span>
      ) : (
        <>
          <a href={signInAddress(email, code === 'sign_in_again')} target="_blank" rel="noopener">
            {text.bar.signIn}
          </a>
          <button type="button" onClick={() => void again()}>
            {text.bar.goOn}
          </button>
        </>
      )}
    </Bar>
  );
}

function useIsOffline(): boolean {
  const [isOffline, setOffline] = useState(!navigator.onLine);
  useEffect(() => {
    const note = (): void => setOffline(!navigator.onLine);
    addEventListener('online', note);
    addEventListener('offline', note);
    return () => {
      removeEventListener('online', note);
      removeEventListener('offline', note);
    };
  }, []);
  return isOffline;
}
