import { ApiProperty } from '@nestjs/swagger';
import { queryChoice } from '../../base/http/query.js';
import type { BridgeResponse } from '../../base/http/request.js';
import type { LeftEndpoint } from './tenants.events.js';

/** The documentation of the parameter that says what becomes of webhook endpoints whose maker ends. */
export const ENDPOINTS_QUERY = {
  name: 'endpoints',
  required: false,
  enum: ['keep', 'pause'],
  description:
    'What becomes of the webhook endpoints that were made in the name of what ends: they continue (`keep`, unless set) or are paused.',
};

/** Returns whether a request asks for endpoints to be paused. */
export function pausesEndpoints(value: string | undefined): boolean {
  return queryChoice('endpoints', value, ['keep', 'pause']) === 'pause';
}

/** A webhook endpoint that continues after its maker has ended, or was paused on request. */
export class LeftEndpointBody implements LeftEndpoint {
  @ApiProperty({ example: 'whk_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ type: String, nullable: true })
  description!: string | null;
  @ApiProperty({ example: 'hooks.example.com' })
  host!: string;
  @ApiProperty({ description: 'Whether the endpoint is paused now; otherwise it still receives events.' })
  paused!: boolean;
}

/** What continues after a key or a user has ended. */
export class LeftEndpointsBody {
  @ApiProperty({ type: [LeftEndpointBody], description: 'Webhook endpoints that were made in its name. Never empty.' })
  endpoints!: LeftEndpointBody[];
}

/** Returns the body that names endpoints that continue; without any, the answer is 204 and has none. */
export function leftEndpoints(
  res: Pick<BridgeResponse, 'status'>,
  endpoints: LeftEndpoint[],
): LeftEndpointsBody | undefined {
  res.status(endpoints.length === 0 ? 204 : 200);
  return endpoints.length === 0 ? undefined : { endpoints };
}
