import { isErrorOf, listHas, readsBack, statusIs } from '../forms/expect.rules.js';
import { finding, type DoctorFinding } from '../forms/finding.js';
import type { Check } from '../peer/check.js';
import { person, userId } from '../peer/people.js';
import type { ScimService } from '../peer/scim-service.js';

/** A removal that takes longer than that leaves a leaver in. */
const PROMPT_MS = 5_000;
const PAUSE_MS = 200;

/** Checks of what happens to users who leave. */
export const LEAVER_CHECKS: readonly Check[] = [
  {
    name: 'deactivation',
    async run(service) {
      const id = await userId(service, 'third');
      const began = Date.now();
      const found = await deactivate(service, id, 'third');
      const note = `inactive after ${Date.now() - began} ms`;
      const restored = await service.patch(`/Users/${encodeURIComponent(id)}`, [
        { op: 'Replace', path: 'active', value: 'True' },
      ]);
      found.push(
        ...statusIs(restored, 200, 204),
        ...readsBack(await service.get(`/Users/${encodeURIComponent(id)}`), { active: true }),
      );
      return { findings: found, note };
    },
  },
  {
    name: 'leaver',
    async run(service) {
      const id = await userId(service, 'third');
      const began = Date.now();
      const found = statusIs(await service.delete(`/Users/${encodeURIComponent(id)}`), 204);
      found.push(...(await gone(service, id, 'third')));
      const note = `gone after ${Date.now() - began} ms`;
      return {
        findings: [...found, ...isErrorOf(await service.delete(`/Users/${encodeURIComponent(id)}`), 404)],
        note,
      };
    },
  },
];

/** Deactivates a user: the user stays readable and findable, or Entra creates a second one. */
export async function deactivate(service: ScimService, id: string, label: string): Promise<DoctorFinding[]> {
  const found = statusIs(
    await service.patch(`/Users/${encodeURIComponent(id)}`, [{ op: 'Replace', path: 'active', value: 'False' }]),
    200,
    204,
  );
  const read = await service.get(`/Users/${encodeURIComponent(id)}`);
  if (read.status === 404)
    return [...found, finding('lost', 'active', `A deactivated user is answered ${read.status}.`)];
  found.push(...statusIs(read, 200), ...readsBack(read, { active: false }));
  return [
    ...found,
    ...listHas(await service.find('Users', 'userName', String(person(service, label)['userName'])), [id]),
  ];
}

/** Waits until a deleted user is gone, and measures the time. */
export async function gone(service: ScimService, id: string, label: string): Promise<DoctorFinding[]> {
  const began = Date.now();
  let answer = await service.get(`/Users/${encodeURIComponent(id)}`);
  while (answer.status !== 404 && Date.now() - began < PROMPT_MS) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    answer = await service.get(`/Users/${encodeURIComponent(id)}`);
  }
  if (answer.status !== 404)
    return [finding('still_there', 'status', `A deleted user is answered ${answer.status} after ${PROMPT_MS} ms.`)];
  const waited = Date.now() - began;
  const slow = waited > 1_000 ? [finding('slow_leaver', null, `A deleted user is gone after ${waited} ms.`)] : [];
  return [
    ...slow,
    ...isErrorOf(answer, 404),
    ...listHas(await service.find('Users', 'userName', String(person(service, label)['userName'])), []),
  ];
}
