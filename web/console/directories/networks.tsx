import { useState, type SyntheticEvent } from 'react';
import type { DirectoryBody } from '../../../src/directory-sync/directories/directories.dto.js';
import { call, read, type Json } from '../../api/client.js';
import { may, useMe } from '../../api/session.js';
import { BothSides } from '../../parts/both-sides.js';
import { useEdit } from '../../parts/edit.js';
import { Section } from '../../parts/page.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';
import type { DirectoryDetail, TabProps } from './tab.js';

const words = text.directories.networks;

/** The list as a text of the form: a network on each line. */
function linesOf({ allow_from }: Pick<DirectoryDetail, 'allow_from'>): { allow_from: string } {
  return { allow_from: (allow_from ?? []).join('\n') };
}

/** The networks from which a directory takes requests. */
export function Networks({ directory }: TabProps) {
  const me = useMe();
  const canWrite = may(me.data, 'admin');
  const [notices, setNotices] = useState<readonly string[]>([]);
  const path = `/directories/${directory.id}`;
  const edit = useEdit({
    stored: linesOf(directory),
    readNow: async () => linesOf(await read<DirectoryDetail>(path)),
    write: async ({ allow_from }) => {
      const networks = allow_from.split(/[\s,]+/).filter((network) => network !== '');
      const written = await call<Json<DirectoryBody>>('PATCH', path, { allow_from: networks });
      setNotices(written.notices ?? []);
      return linesOf(written);
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setNotices([]);
    edit.save();
  };
  return (
    <Section title={words.title}>
      <form className="stack" onSubmit={submit}>
        <label className="wide">
          {words.label}
          <textarea
            rows={4}
            spellCheck={false}
            readOnly={!canWrite}
            placeholder={words.everywhere}
            value={edit.draft.allow_from}
            onChange={({ target }) => edit.change({ allow_from: target.value })}
          />
        </label>
        <p className="help">{words.help}</p>
        {edit.error !== null && <ProblemBox error={edit.error} />}
        {edit.both !== null && <BothSides both={edit.both} labelOf={() => words.title} />}
        {edit.isSaved && <p role="status">{words.saved}</p>}
        {notices.map((notice) => (
          <p key={notice} role="alert" className="problem-box">
            {notice}
          </p>
        ))}
        {canWrite && (
          <button type="submit" disabled={edit.isSaving}>
            {words.save}
          </button>
        )}
      </form>
    </Section>
  );
}
