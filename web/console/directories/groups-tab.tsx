import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../../api/queries.js';
import { List } from '../../parts/answer.js';
import { Dialog } from '../../parts/dialog.js';
import { Table, type Column } from '../../parts/table.js';
import { text } from '../../text/text.js';
import type { TabProps } from './tab.js';
import type { Group } from './group.js';

/** A user in a group. */
interface Member {
  user_id: string;
  user_name: string;
  email: string | null;
}

const words = text.directories.groups;

/** The groups that the directory has sent. */
export function GroupsTab({ directory: { id } }: TabProps) {
  const groups = useList<Group>(`/directories/${id}/groups`);
  const [shown, setShown] = useState<Group | null>(null);
  const columns: Column<Group>[] = [
    {
      label: words.name,
      cell: (group) => (
        <button
          type="button"
          className="plain"
          onClick={() => setShown(group)}
          aria-label={`${words.show}: ${group.display_name}`}
        >
          {group.display_name}
        </button>
      ),
    },
    { label: words.members, cell: ({ members }) => members, isNumber: true },
    { label: words.pending, cell: ({ pending_members }) => pending_members, isNumber: true },
  ];
  return (
    <>
      <List query={groups} empty={words.empty}>
        {(rows) => (
          <Table caption={text.directories.tabs.groups} columns={columns} rows={rows} keyOf={(group) => group.id} />
        )}
      </List>
      {shown !== null && (
        <Dialog title={shown.display_name} onClose={() => setShown(null)}>
          <Members directoryId={id} groupId={shown.id} />
          <button type="button" onClick={() => setShown(null)}>
            {text.act.close}
          </button>
        </Dialog>
      )}
    </>
  );
}

function Members({ directoryId, groupId }: { directoryId: string; groupId: string }) {
  const members = useList<Member>(`/directories/${directoryId}/groups/${groupId}/members`);
  return (
    <List query={members} empty={words.noMembers}>
      {(rows) => (
        <ul className="plain tight">
          {rows.map(({ user_id, user_name }) => (
            <li key={user_id}>
              <Link to="/users/$id" params={{ id: user_id }}>
                {user_name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </List>
  );
}
