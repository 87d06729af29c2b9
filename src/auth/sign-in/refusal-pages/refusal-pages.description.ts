import { applyDecorators } from '@nestjs/common';
import { ApiHtml } from '../../../base/http/api-answers.js';
import { REFUSAL_REASONS, type SignInRefusalReason } from '../refusals/sign-in-refused.js';
import { plainRefusal } from './refusal-texts.rules.js';

const PAGE = 'A page with plain words and a support id; the tenant’s sign-in log has the reason.';

/** Describes the pages of these reasons for the API reference, by status. */
export function RefusalPages(reasons: readonly SignInRefusalReason[]): MethodDecorator {
  const statuses = new Map<number, Map<string, SignInRefusalReason[]>>();
  for (const reason of reasons) {
    const { status, title } = plainRefusal(reason);
    const titles = statuses.get(status) ?? new Map<string, SignInRefusalReason[]>();
    statuses.set(status, titles.set(title, [...(titles.get(title) ?? []), reason]));
  }
  return applyDecorators(
    ...[...statuses].map(([status, titles]) => {
      const lines = [...titles].map(([title, those]) => `- “${title}”: ${those.map((one) => `\`${one}\``).join(', ')}`);
      return ApiHtml(status, `${PAGE}\n\n${lines.join('\n')}`);
    }),
  );
}

/** Returns all reasons but these. */
export function reasonsBut(...others: readonly SignInRefusalReason[]): SignInRefusalReason[] {
  return REFUSAL_REASONS.filter((reason) => !others.includes(reason));
}
