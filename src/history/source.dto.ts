import { ApiProperty } from '@nestjs/swagger';
import type { Actor, ChangeSource } from '../identity/source.js';

/** Who did something, as they were called then. */
export class ActorBody implements Actor {
  @ApiProperty({ enum: ['key', 'directory', 'person', 'operator', 'system'] })
  kind!: Actor['kind'];
  @ApiProperty()
  id!: string;
  @ApiProperty()
  name!: string;
}

/** Where a change came from. */
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
