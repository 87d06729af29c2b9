import type { Page } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { Answer } from '../../parts/answer.js';
import { Deleted } from '../../parts/gone.js';
import { text } from '../../text/text.js';

/** A line of the audit log. */
interface Line {
  at: string;
  actor: { kind: string; name: string };
}

const words = text.directories;

/** Says when and by which actor a directory was deleted. */
export function DeletedDirectory({ id }: { id: string }) {
  const lines = useRead<Page<Line>>('/audit', { action: 'directory.deleted', target_id: id, limit: 1 });
  return (
    <Answer query={lines} height={40}>
      {({ data: [last] }) =>
        last === undefined ? <p>{words.never}</p> : <Deleted what={words.deleted} at={last.at} by={last.actor} />
      }
    </Answer>
  );
}
