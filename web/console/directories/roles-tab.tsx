import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RoleBody } from '../../../src/tenancy/tenants/roles.dto.js';
import { call, type Json, type Page as PageOf } from '../../api/client.js';
import { useRead } from '../../api/queries.js';
import { may, useMe } from '../../api/session.js';
import { Answer } from '../../parts/answer.js';
import { ProblemBox } from '../../parts/problem.js';
import { text } from '../../text/text.js';
import type { TabProps } from './tab.js';
import type { Group } from './group.js';
import { RulesPlan, type Plan } from './rules-plan.js';

/** Members of the group get the role. */
interface Rule {
  group_id: string;
  role: string;
}

const words = text.directories.roles;

/** The rules by which groups give roles. */
export function RolesTab({ directory: { id } }: TabProps) {
  const rules = useRead<{ rules: Rule[] }>(`/directories/${id}/rules`);
  const groups = useRead<PageOf<Group>>(`/directories/${id}/groups`, { limit: 200 });
  const roles = useRead<PageOf<Json<RoleBody>>>('/roles');
  return (
    <Answer query={rules}>
      {({ rules: stored }) => (
        <Rules
          key={JSON.stringify(stored)}
          directoryId={id}
          stored={stored}
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
  const cache = useQueryClient();
  const [draft, setDraft] = useState<readonly Rule[]>(stored);
  const path = `/directories/${directoryId}/rules`;
  const plan = useMutation({ mutationFn: () => call<Plan>('POST', `${path}/plan`, { rules: draft }) });
  const save = useMutation({
    mutationFn: () => call('PUT', path, { rules: draft }),
    onSuccess: () => cache.invalidateQueries(),
  });
  const change = (next: readonly Rule[]): void => {
    setDraft(next);
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
          <button type="button" disabled={plan.isPending} onClick={() => plan.mutate()}>
            {words.plan}
          </button>
          <button
            type="button"
            className="main"
            disabled={plan.data === undefined || save.isPending}
            onClick={() => save.mutate()}
          >
            {words.save}
          </button>
        </div>
      )}
      {plan.error !== null && <ProblemBox error={plan.error} />}
      {save.error !== null && <ProblemBox error={save.error} />}
      {save.isSuccess && <p role="status">{words.saved}</p>}
      {plan.data !== undefined && <RulesPlan plan={plan.data} />}
    </div>
  );
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
  const given = role === '' ? (roles[0] ?? '') : role;
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
        <select value={given} onChange={({ target }) => setRole(target.value)}>
          {roles.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => add({ group_id: chosen, role: given })}>
        {words.add}
      </button>
    </div>
  );
}
