import { Link, useSearch } from '@tanstack/react-router';
import type { DirectoryBody } from '../../../src/directory-sync/directories/directories.dto.js';
import type { HeldBody } from '../../../src/directory-sync/users/explain/explain.dto.js';
import type { Json, Page as PageOf } from '../../api/client.js';
import { useList, useRead } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { Act } from '../../parts/act.js';
import { ReleaseHeld } from '../../parts/release-held.js';
import { List } from '../../parts/answer.js';
import { CountedAct } from '../../parts/counted-act.js';
import { Choice } from '../../parts/filters.js';
import { Page } from '../../parts/page.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { InTheWay, nameOf } from '../../parts/user-name.js';
import { text } from '../../text/text.js';
import { differences } from './differences.rules.js';

type HeldUser = Json<HeldBody>;

const words = text.held;
const reasons: Record<string, string> = words.reasons;
const fields: Record<string, string> = text.users.one.fields;
/** Reasons that an admin can set aside (contract of `POST /held/release`). */
const RELEASABLE = new Set(['guard', 'protected', 'needs_admin', 'no_seat', 'external_id_taken']);

/** Held users by reason and directory, and what an admin decides about them. */
export function HeldPage() {
  const filters = useSearch({ from: '/held' });
  const me = useMe();
  const canWrite = may(me.data, 'admin');
  const directories = useRead<PageOf<Json<DirectoryBody>>>('/directories');
  const held = useList<HeldUser>('/held', filters, 10_000);
  const isFiltered = filters['reason'] !== undefined || filters['directory'] !== undefined;
  return (
    <Page title={words.title} lead={words.lead} actions={canWrite && isFiltered && <AllOf filters={filters} />}>
      <div className="row">
        <Choice name="reason" label={words.reason} value={filters['reason']} values={Object.entries(words.reasons)} />
        <Choice
          name="directory"
          label={words.directory}
          value={filters['directory']}
          values={(directories.data?.data ?? []).map(({ id, name }) => [id, name] as const)}
        />
      </div>
      <List query={held} empty={isFiltered ? words.noMatch : words.empty}>
        {(rows) => (
          <Table caption={words.title} columns={columnsFor(canWrite)} rows={rows} keyOf={({ user_id }) => user_id} />
        )}
      </List>
    </Page>
  );
}

function AllOf({ filters }: { filters: Readonly<Record<string, string | undefined>> }) {
  const { reason } = filters;
  return (
    <>
      {(reason === undefined || RELEASABLE.has(reason)) && (
        <CountedAct
          label={words.releaseAll}
          path="/held/release"
          body={filters}
          consequence={words.releases}
          isDangerous
        />
      )}
      <CountedAct label={words.discardAll} path="/held/discard" body={filters} consequence={words.discards} />
    </>
  );
}

function columnsFor(canWrite: boolean): Column<HeldUser>[] {
  const columns: Column<HeldUser>[] = [
    {
      label: words.user,
      cell: ({ user_id, in_force }) => (
        <Link to="/users/$id" params={{ id: user_id }}>
          {nameOf(in_force)}
        </Link>
      ),
    },
    {
      label: words.reason,
      cell: ({ reason, words: why, next, conflicts }) => (
        <div className="tight">
          <p>
            <b>{reasons[reason] ?? reason}</b>
          </p>
          <p>{why}</p>
          {(reason === 'email_taken' || reason === 'external_id_taken') && <InTheWay conflicts={conflicts} />}
          <p>
            {text.users.one.next}: {next}
          </p>
        </div>
      ),
    },
    { label: words.since, cell: ({ since }) => <Time at={since} /> },
    {
      label: words.differs,
      cell: (user) => (
        <ul className="plain">
          {differences(user.written, user.in_force).map(({ field, written, inForce }) => (
            <li key={field}>
              {fields[field] ?? field}: {inForce} → <b>{written}</b>
            </li>
          ))}
        </ul>
      ),
    },
  ];
  if (!canWrite) return columns;
  return [
    ...columns,
    {
      label: text.act.actions,
      cell: ({ user_id, reason, releasable }) => (
        <span className="row">
          {releasable && <ReleaseHeld userId={user_id} reason={reason} />}
          <Act label={words.discard} path={`/held/${user_id}/discard`} asks={words.discards(1)} />
        </span>
      ),
    },
  ];
}
