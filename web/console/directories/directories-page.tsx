import { Link } from '@tanstack/react-router';
import type { DirectoryBody } from '../../../src/directory-sync/directories/directories.dto.js';
import type { Json } from '../../api/client.js';
import { useList } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { List } from '../../parts/answer.js';
import { Page } from '../../parts/page.js';
import { State } from '../../parts/state.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { text } from '../../text/text.js';
import { CreateDirectory } from './create-directory.js';

type Directory = Json<DirectoryBody>;

const words = text.directories;

const COLUMNS: readonly Column<Directory>[] = [
  {
    label: words.name,
    cell: ({ id, name }) => (
      <Link to="/directories/$id/{-$tab}" params={{ id }}>
        {name}
      </Link>
    ),
  },
  {
    label: words.state,
    cell: ({ state }) => <State tone={state === 'live' ? 'good' : 'attention'}>{words.states[state]}</State>,
  },
  { label: words.profile, cell: ({ profile }) => profile },
  { label: words.guard, cell: ({ guard }) => (guard === 'off' ? words.guardOff : words.guardOn) },
  { label: words.lastRequest, cell: ({ last_request_at }) => <Time at={last_request_at} /> },
];

/** The sources of users. */
export function DirectoriesPage() {
  const me = useMe();
  const directories = useList<Directory>('/directories', {}, 10_000);
  return (
    <Page title={words.title} lead={words.lead} actions={may(me.data, 'admin') && <CreateDirectory />}>
      <List query={directories} empty={words.empty}>
        {(rows) => <Table caption={words.title} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />}
      </List>
    </Page>
  );
}
