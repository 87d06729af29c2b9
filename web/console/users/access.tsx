import type { ListedSessionBody } from '../../../src/auth/sign-in/browser-sessions/sessions.dto.js';
import type { PersonIdentityBody } from '../../../src/auth/sign-in/identities/identities.dto.js';
import type { Json } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { Act } from '../../parts/act.js';
import { Answer } from '../../parts/answer.js';
import { Section } from '../../parts/page.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';

const words = text.users.one;

/** The live sessions of a user, and the accounts of IdPs that open them. */
export function Access({ userId }: { userId: string }) {
  const me = useMe();
  const canWrite = may(me.data, 'admin');
  const sessions = useRead<{ data: Json<ListedSessionBody>[] }>(`/users/${userId}/sessions`);
  const identities = useRead<{ data: Json<PersonIdentityBody>[] }>(`/users/${userId}/identities`);
  return (
    <>
      <Section title={words.sessions}>
        <Answer query={sessions} height={48}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="secondary">{words.noSessions}</p>
            ) : (
              <Sessions {...{ userId, canWrite, sessions: data }} />
            )
          }
        </Answer>
      </Section>
      <Section title={words.identities}>
        <Answer query={identities} height={48}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="secondary">{words.noIdentities}</p>
            ) : (
              <ul className="plain tight">
                {data.map(({ connection_id, connection, subject }) => (
                  <li key={connection_id} className="row">
                    <span>
                      {connection}: <code>{subject}</code>
                    </span>
                    {canWrite && (
                      <Act
                        label={words.unbind}
                        method="DELETE"
                        path={`/users/${userId}/identities/${connection_id}`}
                        danger={words.dangers.unbind}
                      />
                    )}
                  </li>
                ))}
              </ul>
            )
          }
        </Answer>
      </Section>
    </>
  );
}

function Sessions({
  userId,
  canWrite,
  sessions,
}: {
  userId: string;
  canWrite: boolean;
  sessions: Json<ListedSessionBody>[];
}) {
  return (
    <>
      <ul className="plain tight">
        {sessions.map(({ id, connection, ip, user_agent, created_at, seen_at }) => (
          <li key={id} className="row">
            <span>
              {connection ?? '–'} · {ip ?? '–'} · {user_agent ?? '–'} · <Time at={created_at} />, <Time at={seen_at} />
            </span>
            {canWrite && (
              <Act
                label={words.end}
                method="DELETE"
                path={`/users/${userId}/sessions/${id}`}
                danger={words.dangers.end}
              />
            )}
          </li>
        ))}
      </ul>
      {canWrite && (
        <Act
          label={words.endSessions}
          method="DELETE"
          path={`/users/${userId}/sessions`}
          danger={words.dangers.endSessions}
        />
      )}
    </>
  );
}
