import { Ajv2020 } from 'ajv/dist/2020.js';
import type { CandidateRow } from '../../../src/hiring/candidates/candidate.js';
import {
  candidateText,
  deletedFact,
  candidateEmailKey,
  writtenFact,
} from '../../../src/hiring/candidates/candidate.mapping.js';
import { newCandidate } from '../../../src/hiring/candidates/candidate.rules.js';
import { EVENTS } from '../../../src/engine/events/catalogue.js';

const AT = new Date('2026-03-01T00:00:00Z');
const METADATA = '{"b":1.0, "a":"\\ud800"}';
const row = (more: Partial<CandidateRow> = {}): CandidateRow => ({
  ...newCandidate({ email: 'É"@x.example', first_name: 'Zoë', last_name: '', external_id: 'gh_1' }, 'cand_1', AT).row,
  metadata: METADATA,
  ...more,
});
const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });

it('writes the metadata unchanged, between the documented members', () => {
  const text = candidateText(row());
  expect(text).toContain(`"metadata":${METADATA},`);
  expect(Object.keys(JSON.parse(text))).toEqual([
    'id', 'email', 'first_name', 'last_name', 'external_id', 'job_title', 'metadata', 'stage', 'ats_status', 'created_at',
    'updated_at',
  ]); // prettier-ignore
});

it.each(['candidate.created', 'candidate.updated'] as const)('%s has the candidate and its sequence', (event) => {
  const fact = writtenFact(event, row({ sequence: 7 }));
  expect([fact.event, fact.record]).toEqual([event, 'cand_1']);
  expect(fact.data).toBe(candidateText(row()).replace(/}$/, ',"sequence":7}'));
  expect(ajv.validate(EVENTS[event].schema, JSON.parse(fact.data))).toBe(true);
});

it('has ids alone when the body would be over 20 kB, and for a removal', () => {
  const large = writtenFact('candidate.created', row({ metadata: `{"a":"${'x'.repeat(20_000)}"}` }));
  expect(large.data).toBe('{"id":"cand_1","external_id":"gh_1","sequence":1}');
  const deleted = deletedFact(row({ sequence: 7 }));
  expect(deleted.data).toBe('{"id":"cand_1","external_id":"gh_1","sequence":8}');
  expect(ajv.validate(EVENTS['candidate.deleted'].schema, JSON.parse(deleted.data))).toBe(true);
});

it('finds e-mails without regard to case and blanks', () => {
  expect(candidateEmailKey(' ÉVA@X.example ')).toBe('éva@x.example');
});
