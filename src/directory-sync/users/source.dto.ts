import { ApiProperty } from '@nestjs/swagger';
import type { Actor, ChangeSource } from '../../tenancy/identity/person.js';

/** The actor of an entry, with the name at that time. */
export class ActorBody implements Actor {
  @ApiProperty({ enum: ['key', 'directory', 'user', 'operator', 'system'] })
  kind!: Actor['kind'];
  @ApiProperty()
  id!: string;
  @ApiProperty()
  name!: string;
}

/** The source of a change. */
export class ChangeSourceBody implements ChangeSource {
  @ApiProperty()
  request_id!: string;
  @ApiProperty({ enum: ['api', 'scim', 'sign-in', 'system'] })
  surface!: ChangeSource['surface'];
  @ApiProperty({ type: String, nullable: true })
  directory_id!: string | null;
  @ApiProperty()
  actor!: ActorBody;
}
