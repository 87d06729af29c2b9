import { ApiProperty } from '@nestjs/swagger';
import type { FieldError } from '../errors/domain-error.js';
import { AllowedNetworks, isEverywhere, networkProblem, plainAddress } from './allowed-networks.js';
import { Ruled } from './fields.js';

/** Most networks of a list. */
const MAX_NETWORKS = 100;

/** Returns why a value is no list of at most 100 networks, or null. {@link allowFromProblems} checks the networks by place. */
function listProblem(value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list';
  return value.length > MAX_NETWORKS ? `must have at most ${MAX_NETWORKS} networks` : null;
}

/**
 * Declares `allow_from` in the body of a request.
 *
 * @param admitted what the networks admit, in words that follow "IP addresses and networks (CIDR) from which"
 */
export function AllowFrom(admitted: string): PropertyDecorator {
  const schema = {
    type: String,
    isArray: true,
    description:
      `IP addresses and networks (CIDR) from which ${admitted}, up to ${MAX_NETWORKS}; from others they are 403. ` +
      'Empty: from everywhere. Behind a proxy `TRUST_PROXY` must name it.',
    example: ['203.0.113.0/24'],
  };
  return Ruled(listProblem, schema, { optional: true });
}

/** The lines that the answer to a write of `allow_from` can have. */
export class NoticesBody {
  @ApiProperty({
    type: [String],
    required: false,
    description:
      'Only in the answer to a write: what the caller should know, such as that `allow_from` shuts out the caller.',
  })
  notices?: string[];
}

/**
 * Returns what is wrong with the networks of `allow_from`, by place.
 *
 * @param within the networks of the key that writes them: it grants no others. Left out: every network.
 */
export function allowFromProblems(networks: readonly unknown[], within = new AllowedNetworks([])): FieldError[] {
  if (networks.length === 0 && within.networks.length > 0) {
    return [{ field: 'allow_from', message: 'must not be empty, because the key of this request is held to networks' }];
  }
  return networks.flatMap((network, place) => {
    const problem =
      networkProblem(network) ??
      (networks.length > 1 ? besideOthers(network as string) : null) ??
      (within.covers(network as string) ? null : 'must be within the networks of the key of this request');
    return problem === null ? [] : [{ field: `allow_from[${place}]`, message: problem }];
  });
}

function besideOthers(network: string): string | null {
  return isEverywhere(network)
    ? 'admits every address, so the other networks have no effect: leave it out, or let it stand alone'
    : null;
}

/** Adds to the answer that `allow_from` shuts out the address that the request came from. */
export function withAllowFromNotice<T extends NoticesBody & { allow_from: readonly string[] }>(
  body: T,
  { ip }: { ip?: string | undefined },
): T {
  if (new AllowedNetworks(body.allow_from).admits(ip)) return body;
  const address = plainAddress(ip) ?? 'unknown';
  return { ...body, notices: [`allow_from does not admit the address of this request: ${address}.`] };
}
