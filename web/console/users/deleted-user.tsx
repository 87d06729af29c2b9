import type { Page } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { Answer } from '../../parts/answer.js';
import { Deleted } from '../../parts/gone.js';
import { text } from '../../text/text.js';

/** The entry of a history about the removal of its user. */
interface Removal {
  at: string;
  source: { actor: { kind: string; name: string } };
}

const words = text.users.one;

/** Says when and by which actor a user was deleted. */
export function DeletedUser({ userId }: { userId: string }) {
  const removal = useRead<Page<Removal>>(`/users/${userId}/history`, { kind: 'removed', order: 'desc', limit: 1 });
  return (
    <Answer query={removal} height={40}>
      {({ data: [last] }) =>
        last === undefined ? <p>{words.never}</p> : <Deleted what={words.removed} at={last.at} by={last.source.actor} />
      }
    </Answer>
  );
}
