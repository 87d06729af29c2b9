import { chosenTokenProblem, TOKEN_RULE } from '../../../../src/integrations/ats/connections/ats-connections.dto.js';

test('takes a token that was made by chance', () => {
  expect(chosenTokenProblem('whk_7d1f0c3e9b5a4826aa58c60b1e94f3d2')).toBeNull();
});

test.each([
  ['no text', 7],
  ['short', 'whk_7d1f0c3e9b5a4826'],
  ['one character again and again', 'a'.repeat(60)],
  ['with a blank', 'whk_7d1f0c3e9b5a4826 aa58c60b1e94f3d2'],
  ['beyond ASCII', 'whk_7d1f0c3e9b5a4826aa58c60b1e94f3dé'],
  ['too long', '7d1f0c3e9b5a4826aa58c60b1e94f3d2'.repeat(7)],
])('refuses a token that is %s', (_what, value) => {
  expect(chosenTokenProblem(value)).toBe(TOKEN_RULE);
});
