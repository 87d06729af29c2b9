import { REFUSAL_REASONS, type SignInRefusalReason } from '../../auth/sign-in/sign-in.errors.js';
import { plainRefusal } from '../../auth/sign-in/refusal-pages/refusal-texts.rules.js';
import { NOUNS } from '../nouns.js';
import { AFTER, COMMANDS } from '../program.js';
import { EVENTS } from '../../engine/events/catalogue.js';
import { SCOPE_TEXTS } from '../../tenancy/tenants/scopes.js';
import { PROBLEM_CODES } from '../../operations/docs/problem-codes.js';
import { cliPage } from './cli.mapping.js';
import { errorsPage, eventsPage, reasonsPage, scopesPage } from './lists.mapping.js';
import { settingsFile, settingsIn, settingsPage } from './settings.mapping.js';

/**
 * Makes all pages of `docs/reference`.
 *
 * @param environment the text of `environment.ts`
 * @returns the pages by file name
 */
export function referencePages(environment: string): Record<string, string> {
  return {
    'settings.md': settingsPage(settingsIn(environment)),
    'settings.env': settingsFile(settingsIn(environment)),
    'cli.md': cliPage({ commands: COMMANDS, nouns: NOUNS, after: AFTER }),
    'errors.md': errorsPage(PROBLEM_CODES),
    'events.md': eventsPage(EVENTS),
    'scopes.md': scopesPage(SCOPE_TEXTS),
    'sign-in-reasons.md': reasonsPage(REFUSAL_REASONS, (reason) => plainRefusal(reason as SignInRefusalReason)),
  };
}
