import { CliError, EXIT } from '../client/cli.errors.js';
import { encode } from '../client/client.js';
import { columns, given, type Command } from '../command/command.js';

/** Commands about links with which an ATS is connected by OAuth. */
export const ATS_LINK_COMMANDS: Command[] = [
  {
    noun: 'ats',
    verb: 'link',
    description: 'Makes a link that connects an ATS by OAuth: works once, for three days',
    options: [
      { name: 'provider', description: 'such as lever', conflicts: ['revoke'] },
      { name: 'revoke', description: 'the id of the link to revoke (alk_…)' },
    ],
    async run(context) {
      const { provider, revoke } = given(context, 'provider', 'revoke');
      if (revoke !== undefined) {
        await context.client.call('DELETE', `/ats-connect-links/${encode(revoke)}`);
        return { revoked: revoke };
      }
      if (provider === undefined) throw new CliError('--provider is required.', EXIT.usage);
      if (context.client.hasTemporaryKey) {
        const words =
          'A connect link ends with the key that makes it. Set TALENT_BRIDGE_API_KEY to a key of the tenant.';
        throw new CliError(words, EXIT.credential);
      }
      return context.client.call('POST', '/ats-connect-links', { provider });
    },
  },
  {
    noun: 'ats',
    verb: 'links',
    description: 'Lists the connect links',
    async run({ client }) {
      const found = await client.list('/ats-connect-links', 50);
      return columns(found, 'id', 'provider', 'created_at', 'expires_at', 'used_at', 'revoked_at');
    },
  },
];
