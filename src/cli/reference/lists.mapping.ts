import type { PlainRefusal } from '../../auth/sign-in/refusal-pages/refusal-texts.rules.js';
import { code, head, table } from './markdown.js';

/** Renders the page of all codes of problems. */
export function errorsPage(codes: Readonly<Record<string, string>>): string {
  const sections = Object.entries(codes).map(([name, meaning]) => `## ${name}\n\n${meaning}\n`);
  return [
    head(
      'Error codes',
      'The `code` of a refusal (RFC 9457, `application/problem+json`) is stable. SCIM answers SCIM errors: see [SCIM](../directory/scim.md#errors).',
    ),
    ...sections,
  ].join('\n');
}

/** What the catalogue of events says of one, as far as the page shows it. */
export interface ShownEvent {
  readonly severity: string;
  readonly runbook: string;
  readonly example: object;
}

/** Renders the page of all events. */
export function eventsPage(events: Readonly<Record<string, ShownEvent>>): string {
  const sections = Object.entries(events).map(
    ([name, { severity, runbook, example }]) =>
      `## ${name}\n\nSeverity: ${code(severity)}. ${runbook}\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`,
  );
  return [
    head(
      'Events',
      'The events of a tenant, by webhooks, in a list and in a feed: [Events](../integrate/events.md). The example is the `data` of the event; its JSON Schema is in the section `webhooks` of `/docs/openapi.json`. Pages for each alarm: [Runbook](../runbook/README.md).',
    ),
    ...sections,
  ].join('\n');
}

/** Renders the page of all scopes. */
export function scopesPage(scopes: Readonly<Record<string, string>>): string {
  const rows = Object.entries(scopes).map(([name, meaning]) => [code(name), meaning]);
  return [
    head(
      'Scopes',
      'An API key has scopes. Each operation of the [API reference](/docs/api) names the scope that it needs. A missing scope is 403 `missing_scope`.',
    ),
    table(['scope', 'opens'], rows),
  ].join('\n');
}

/**
 * Renders the page of all reasons for which a sign-in is refused.
 *
 * @param reasons the words in the log, in the order of the checks
 * @param shown what the user sees for a reason
 */
export function reasonsPage(reasons: readonly string[], shown: (reason: string) => PlainRefusal): string {
  const rows = reasons.map((reason) => {
    const { status, title, said } = shown(reason);
    return [code(reason), String(status), `**${title}.** ${said}`];
  });
  return [
    head(
      'Reasons of refused sign-ins',
      'The sign-in log (`sign-in list`, `GET /api/v1/sign-ins`) has the reason. The user sees plain words. Causes and remedies: [Refused sign-ins](../sign-in/refused.md).',
    ),
    table(['reason', 'status', 'the user sees'], rows),
  ].join('\n');
}
