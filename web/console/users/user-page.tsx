import { Link, useParams } from '@tanstack/react-router';
import type { UserExplanationBody } from '../../../src/overview/explain/explain.controller.js';
import type { Json } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { ReleaseHeld } from '../../parts/release-held.js';
import { Act } from '../../parts/act.js';
import { Answer } from '../../parts/answer.js';
import { isGone } from '../../parts/gone.js';
import { Id } from '../../parts/copy-button.js';
import { Page, Section } from '../../parts/page.js';
import { State } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import { InTheWay, nameOf } from '../../parts/user-name.js';
import { text } from '../../text/text.js';
import { Access } from './access.js';
import { DeletedUser } from './deleted-user.js';
import { TimeLine } from './time-line.js';
import { WrittenAndInForce } from './written-and-in-force.js';

type Explanation = Json<UserExplanationBody>;

const words = text.users.one;

/** One user: why the user has, or lacks, access, role and seat, and all that happened. */
export function UserPage() {
  const { id } = useParams({ from: '/users/$id' });
  const explanation = useRead<Explanation>(`/users/${id}/explain`, {}, 5_000);
  const title = explanation.data === undefined ? id : nameOf(explanation.data.user);
  if (isGone(explanation.error)) {
    return (
      <Page title={title} lead={<Id value={id} />}>
        <DeletedUser userId={id} />
        <TimeLine userId={id} />
      </Page>
    );
  }
  return (
    <Page title={title} lead={<Id value={id} />} actions={<Resend userId={id} />}>
      <Answer query={explanation} height={240}>
        {(answer) => (
          <>
            <Facts of={answer} />
            {answer.held !== null && <Held of={answer} />}
            <Why of={answer} />
          </>
        )}
      </Answer>
      <TimeLine userId={id} />
      <WrittenAndInForce userId={id} />
      <Access userId={id} />
    </Page>
  );
}

function Resend({ userId }: { userId: string }) {
  const me = useMe();
  return may(me.data, 'admin') && <Act label={words.resend} path={`/users/${userId}/resend`} asks={words.resends} />;
}

function Facts({ of: { user, seat_queue: queue } }: { of: Explanation }) {
  const { email, role, external_id, status, seat, managed_by } = user;
  return (
    <dl className="facts">
      <dt>{words.facts.status}</dt>
      <dd>
        <State tone={status === 'active' ? 'good' : 'neutral'}>{status}</State>
      </dd>
      <dt>{words.facts.email}</dt>
      <dd>{email ?? '–'}</dd>
      <dt>{words.facts.role}</dt>
      <dd>{role ?? '–'}</dd>
      <dt>{words.facts.seat}</dt>
      <dd>{queue === null ? (text.users.seatOf[seat] ?? seat) : words.place(queue.place, queue.of)}</dd>
      <dt>{words.facts.externalId}</dt>
      <dd>{external_id === null ? '–' : <Id value={external_id} />}</dd>
      <dt>{words.facts.managedBy}</dt>
      <dd>
        {managed_by === null ? (
          '–'
        ) : (
          <Link to="/directories/$id/{-$tab}" params={{ id: managed_by.id }}>
            {managed_by.name}
          </Link>
        )}
      </dd>
    </dl>
  );
}

function Held({ of: { user, held } }: { of: Explanation }) {
  const me = useMe();
  if (held === null) return null;
  const reasons: Record<string, string> = text.held.reasons;
  return (
    <Section title={`${text.users.held}: ${reasons[held.reason] ?? held.reason}`}>
      <p>
        {held.words} {words.heldSince} <Time at={held.since} />.
      </p>
      <p>
        {words.next}: {held.next}
      </p>
      <InTheWay conflicts={held.conflicts} />
      {may(me.data, 'admin') && (
        <div className="row">
          {held.releasable && <ReleaseHeld userId={user.id} reason={held.reason} />}
          <Act label={words.discard} path={`/held/${user.id}/discard`} asks={text.held.discards(1)} />
        </div>
      )}
    </Section>
  );
}

function Why({ of: { sentences } }: { of: Explanation }) {
  return (
    <Section title={words.why}>
      <dl className="facts">
        {sentences.map(({ about, words: sentence, since, code }) => (
          <div key={about} className="contents">
            <dt>{words.about[about]}</dt>
            <dd>
              {sentence}{' '}
              {since !== null && (
                <span className="secondary">
                  <Time at={since} />
                </span>
              )}{' '}
              <code className="secondary">{code}</code>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
