import { useState } from 'react';
import { call, read } from '../../api/client.js';
import { may, useMe } from '../../api/session.js';
import { BothSides } from '../../parts/both-sides.js';
import { Id } from '../../parts/copy-button.js';
import { useEdit } from '../../parts/edit.js';
import { ProblemBox } from '../../parts/problem.js';
import { Table, type Column } from '../../parts/table.js';
import { text } from '../../text/text.js';
import type { DirectoryDetail, TabProps } from './tab.js';

type Attribute = DirectoryDetail['custom_attributes'][number];
/** The attributes by their names: two admins who add different ones do not meet. */
type Declared = Readonly<Record<string, Attribute>>;

const words = text.directories.attributes;
const SCHEMA = 'urn:ietf:params:scim:schemas:extension:custom:2.0:User';
const TYPES = ['string', 'boolean', 'integer', 'decimal', 'dateTime'] as const;
const NONE: Attribute = { name: '', type: 'string', multi_valued: false, description: '' };

function declaredBy({ custom_attributes }: Pick<DirectoryDetail, 'custom_attributes'>): Declared {
  return Object.fromEntries(custom_attributes.map((attribute) => [attribute.name, attribute]));
}

/** An attribute in words, for both sides. */
function shown(_name: string, value: unknown): string {
  if (value === undefined) return words.none;
  const { type, multi_valued, description } = value as Attribute;
  return [type, ...(multi_valued ? [words.several] : []), description].filter((one) => one !== '').join(', ');
}

/** The attributes of users that the customer has declared. */
export function AttributesTab({ directory }: TabProps) {
  const me = useMe();
  const canWrite = may(me.data, 'admin');
  const path = `/directories/${directory.id}`;
  const edit = useEdit<Declared>({
    stored: declaredBy(directory),
    readNow: async () => declaredBy(await read<DirectoryDetail>(path)),
    write: (declared) => call('PATCH', path, { custom_attributes: Object.values(declared) }),
  });
  const { draft, error, both } = edit;
  const remove = (name: string): void =>
    edit.replace(Object.fromEntries(Object.entries(draft).filter(([other]) => other !== name)));
  const rows = Object.values(draft);
  return (
    <div className="stack">
      <p className="secondary">{words.lead}</p>
      <p>
        {words.schema}: <Id value={SCHEMA} />
      </p>
      {rows.length === 0 ? (
        <p>{words.empty}</p>
      ) : (
        <Table
          caption={words.title}
          columns={columnsFor(canWrite ? remove : null)}
          rows={rows}
          keyOf={({ name }) => name}
        />
      )}
      {canWrite && <Add draft={draft} add={(attribute) => edit.replace({ ...draft, [attribute.name]: attribute })} />}
      {error !== null && <ProblemBox error={error} />}
      {both !== null && <BothSides both={both} labelOf={(name) => name} show={shown} />}
      {edit.isSaved && <p role="status">{words.saved}</p>}
      {canWrite && (
        <button type="button" className="main" disabled={edit.isSaving} onClick={edit.save}>
          {words.save}
        </button>
      )}
    </div>
  );
}

function columnsFor(remove: ((name: string) => void) | null): Column<Attribute>[] {
  const columns: Column<Attribute>[] = [
    { label: words.name, cell: ({ name }) => <code>{name}</code> },
    { label: words.type, cell: ({ type }) => type },
    { label: words.several, cell: ({ multi_valued }) => (multi_valued ? text.both.yes : text.both.no) },
    { label: words.description, cell: ({ description }) => (description === '' ? '–' : description) },
  ];
  if (remove === null) return columns;
  return [
    ...columns,
    {
      label: text.act.actions,
      cell: ({ name }) => (
        <button type="button" aria-label={`${words.remove}: ${name}`} onClick={() => remove(name)}>
          {words.remove}
        </button>
      ),
    },
  ];
}

function Add({ draft, add }: { draft: Declared; add: (attribute: Attribute) => void }) {
  const [typed, setTyped] = useState(NONE);
  const name = typed.name.trim();
  const isTaken = Object.keys(draft).some((other) => other.toLowerCase() === name.toLowerCase());
  return (
    <form
      className="stack"
      aria-label={words.add}
      onSubmit={(event) => {
        event.preventDefault();
        if (isTaken) return;
        add({ ...typed, name });
        setTyped(NONE);
      }}
    >
      <div className="row">
        <label>
          {words.name}
          <input
            required
            maxLength={64}
            pattern="[A-Za-z][\w\-]*"
            title={words.nameHelp}
            aria-invalid={isTaken}
            value={typed.name}
            onChange={({ target }) => setTyped({ ...typed, name: target.value })}
          />
        </label>
        <label>
          {words.type}
          <select
            value={typed.type}
            onChange={({ target }) => setTyped({ ...typed, type: target.value as Attribute['type'] })}
          >
            {TYPES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          {words.description}
          <input
            maxLength={200}
            value={typed.description}
            onChange={({ target }) => setTyped({ ...typed, description: target.value })}
          />
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={typed.multi_valued}
            onChange={({ target }) => setTyped({ ...typed, multi_valued: target.checked })}
          />
          {words.several}
        </label>
        <button type="submit">{words.add}</button>
      </div>
      <p className="help" aria-live="polite">
        {isTaken && name !== '' ? words.taken : words.nameHelp}
      </p>
    </form>
  );
}
