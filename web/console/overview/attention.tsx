import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Section } from '../../parts/page.js';
import { State } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import type { Overview } from './overview.js';

/** What an admin has to decide: held and parked changes, refused credentials, what ends soon. */
export function Attention({ now }: { now: Overview }) {
  const lines = linesOf(now);
  return (
    <Section title={text.overview.attention}>
      {lines.length === 0 ? (
        <p>
          <State tone="good">{text.overview.nothing}</State>
        </p>
      ) : (
        <ul className="plain tight">
          {lines.map(([key, line]) => (
            <li key={key}>{line}</li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function linesOf(now: Overview): [key: string, line: ReactNode][] {
  const words: Record<string, string> = text.held.reasons;
  const guarded = now.guard.directories[0];
  return [
    ...(guarded === undefined
      ? []
      : [
          [
            'guard',
            <Link key="guard" to="/directories/$id/{-$tab}" params={{ id: guarded, tab: 'guard' }}>
              {text.overview.guard(now.guard.held)}
            </Link>,
          ] as [string, ReactNode],
        ]),
    ...Object.entries(now.held).map(([reason, n]): [string, ReactNode] => [
      `held ${reason}`,
      <Link key={reason} to="/held" search={{ reason }}>
        {text.overview.held(n, words[reason] ?? reason)}
      </Link>,
    ]),
    ...Object.entries(now.parked).map(([reason, n]): [string, ReactNode] => [
      `parked ${reason}`,
      text.overview.parked(n, reason),
    ]),
    ...now.directories.flatMap(({ id, name, last_refusal }): [string, ReactNode][] =>
      last_refusal === null
        ? []
        : [
            [
              `refused ${id}`,
              <>
                <Link to="/directories/$id/{-$tab}" params={{ id }}>
                  {name}
                </Link>
                : {text.overview.refused} <Time at={last_refusal.at} />: <code>{last_refusal.reason}</code>
              </>,
            ],
          ],
    ),
    ...now.expiries.map(({ kind, id, name, expires_at }): [string, ReactNode] => [
      `ends ${id}`,
      <>
        {text.overview.credentials[kind] ?? kind} <b>{name}</b> {text.overview.expires} <Time at={expires_at} />
      </>,
    ]),
  ];
}
