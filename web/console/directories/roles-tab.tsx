import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { RoleBody } from '../../../src/tenancy/tenants/administrators.js';
import { call, read, type Json, type Page as PageOf } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { Administrators } from '../../parts/administrators.js';
import { Answer } from '../../parts/answer.js';
import { BothSides } from '../../parts/both-sides.js';
import { useEdit } from '../../parts/edit.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';
import type { TabProps } from './tab.js';
import type { Group } from './group.js';
import { administratorsOf, RulesPlan, type Plan } from './rules-plan.js';

/** Members of the group get the role. */
interface Rule {
  group_id: string;
  role: string;
}

const words = text.directories.roles;

/** Returns what a rule says, without the name of its group, which changes without it. */
function ruleOf({ group_id, role }: Rule): Rule {
  return { group_id, role };
}

/** The rules by which groups give roles. */
export function RolesTab({ directory: { id } }: TabProps) {
  const rules = useRead<{ rules: Rule[] }>(`/directories/${id}/rules`);
  const groups = useRead<PageOf<Group>>(`/directories/${id}/groups`, { limit: 200 });
  const roles = useRead<PageOf<Json<RoleBody>>>('/roles');
  return (
    <Answer query={rules}>
      {({ rules: stored }) => (
        <Rules
          directoryId={id}
          stored={stored.map(ruleOf)}
          groups={groups.data?.data ?? []}
          roles={(roles.data?.data ?? []).map(({ name }) => name)}
        />
      )}
    </Answer>
  );
}

interface RulesProps {
  directoryId: string;
  stored: readonly Rule[];
  groups: readonly Group[];
  roles: readonly string[];
}

function Rules({ directoryId, stored, groups, roles }: RulesProps) {
  const me = useMe();
  const path = `/directories/${directoryId}/rules`;
  // A chosen side needs a plan again: users have another role now.
  const plan = useMutation({ mutationFn: () => call<Plan>('POST', `${path}/plan`, { rules: draft }) });
  const edit = useEdit<{ rules: readonly Rule[] }>({
    stored: { rules: stored },
    readNow: async () => ({ rules: (await read<{ rules: Rule[] }>(path)).rules.map(ruleOf) }),
    write: async ({ rules }) => {
      await call('PUT', path, { rules, ...(lost === 0 ? {} : { administrators: lost }) });
      plan.reset();
    },
    onChosen: () => plan.reset(),
  });
  // Who saves has seen what would change: the plan of a large directory comes with the end of its task.
  const [made, setMade] = useState<Plan>();
  const shown = plan.data === undefined || !('id' in plan.data) ? plan.data : sameTask(plan.data, made);
  const isPlanned = shown !== undefined;
  const lost = shown === undefined ? 0 : administratorsOf(shown);
  // The yes is about the administrators of one plan.
  const [agreedTo, setAgreedTo] = useState<Plan>();
  const isAgreed = agreedTo !== undefined && agreedTo === shown;
  const draft = edit.draft.rules;
  const change = (rules: readonly Rule[]): void => {
    edit.change({ rules });
    plan.reset();
  };
  const canWrite = may(me.data, 'admin');
  const nameOf = (groupId: string): string => groups.find(({ id }) => id === groupId)?.display_name ?? groupId;
  return (
    <div className="stack">
      <p className="secondary">{words.lead}</p>
      {draft.length === 0 && <p>{words.empty}</p>}
      <ol className="tight">
        {draft.map((rule, place) => (
          <li key={rule.group_id}>
            {nameOf(rule.group_id)} → <b>{rule.role}</b>{' '}
            {canWrite && place > 0 && (
              <button
                type="button"
                className="plain"
                aria-label={`${words.up}: ${nameOf(rule.group_id)}`}
                onClick={() => change(movedUp(draft, place))}
              >
                {words.up}
              </button>
            )}
            {canWrite && (
              <button
                type="button"
                className="plain"
                aria-label={`${words.remove}: ${nameOf(rule.group_id)}`}
                onClick={() => change(draft.filter((one) => one !== rule))}
              >
                {words.remove}
              </button>
            )}
          </li>
        ))}
      </ol>
      {canWrite && <AddRule {...{ draft, groups, roles }} add={(rule) => change([...draft, rule])} />}
      {canWrite && (
        <div className="row">
          <button
            type="button"
            className={isPlanned ? undefined : 'main'}
            disabled={plan.isPending}
            onClick={() => plan.mutate()}
          >
            {words.plan}
          </button>
          <button
            type="button"
            className={lost > 0 ? 'danger' : isPlanned ? 'main' : undefined}
            disabled={!isPlanned || edit.isSaving || (lost > 0 && !isAgreed)}
            onClick={edit.save}
          >
            {words.save}
          </button>
        </div>
      )}
      {plan.error !== null && <ProblemBox error={plan.error} />}
      {edit.error !== null && <ProblemBox error={edit.error} />}
      {edit.both !== null && (
        <BothSides
          both={edit.both}
          labelOf={() => words.rules}
          show={(_field, value) => rulesIn(value as readonly Rule[], nameOf)}
          keep={text.both.keep}
        />
      )}
      {edit.isSaved && <p role="status">{words.saved}</p>}
      {lost > 0 && (
        <Administrators
          words={text.administrators.lose(lost)}
          isAgreed={isAgreed}
          onAgree={(yes) => setAgreedTo(yes ? shown : undefined)}
        />
      )}
      {plan.data !== undefined && <RulesPlan plan={plan.data} onMade={setMade} />}
    </div>
  );
}

/** Returns the task of a plan as it ended; undefined: it is under way. */
function sameTask(begun: { id: string }, made: Plan | undefined): Plan | undefined {
  return made !== undefined && 'id' in made && made.id === begun.id ? made : undefined;
}

function rulesIn(rules: readonly Rule[], nameOf: (groupId: string) => string): string {
  return rules.length === 0 ? words.empty : rules.map((rule) => `${nameOf(rule.group_id)} → ${rule.role}`).join('\n');
}

function movedUp(rules: readonly Rule[], place: number): Rule[] {
  const moved = [...rules];
  const [rule] = moved.splice(place, 1);
  moved.splice(place - 1, 0, rule!);
  return moved;
}

function AddRule({
  draft,
  groups,
  roles,
  add,
}: Omit<RulesProps, 'directoryId' | 'stored'> & {
  draft: readonly Rule[];
  add: (rule: Rule) => void;
}) {
  const free = groups.filter(({ id }) => !draft.some(({ group_id }) => group_id === id));
  const [groupId, setGroup] = useState('');
  const [role, setRole] = useState('');
  const chosen = free.some(({ id }) => id === groupId) ? groupId : (free[0]?.id ?? '');
  if (free.length === 0) return null;
  return (
    <div className="row">
      <label>
        {words.group}
        <select value={chosen} onChange={({ target }) => setGroup(target.value)}>
          {free.map(({ id, display_name }) => (
            <option key={id} value={id}>
              {display_name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {words.role}
        <select value={role} onChange={({ target }) => setRole(target.value)}>
          <option value="">{words.choose}</option>
          {roles.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <button type="button" disabled={role === ''} onClick={() => add({ group_id: chosen, role })}>
        {words.add}
      </button>
    </div>
  );
}
