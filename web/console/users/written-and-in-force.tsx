import type { UserResourceBody } from '../../../src/overview/explain/explain.controller.js';
import type { Json } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { Answer } from '../../parts/answer.js';
import { Section } from '../../parts/page.js';
import { text } from '../../text/text.js';

const words = text.users.one;

/** The resource that the directory wrote, beside the effective state. */
export function WrittenAndInForce({ userId }: { userId: string }) {
  const resource = useRead<Json<UserResourceBody>>(`/users/${userId}/resource`);
  return (
    <Section title={words.written}>
      <p className="secondary">{words.writtenLead}</p>
      <Answer query={resource}>
        {({ written, in_force }) => (
          <div className="sides">
            <Side title={words.writtenHead} value={written} />
            <Side title={words.inForceHead} value={in_force} />
          </div>
        )}
      </Answer>
    </Section>
  );
}

function Side({ title, value }: { title: string; value: object }) {
  return (
    <div className="tight">
      <h3>{title}</h3>
      <pre tabIndex={0} aria-label={title}>
        {JSON.stringify(value, null, 2)}
      </pre>
    </div>
  );
}
