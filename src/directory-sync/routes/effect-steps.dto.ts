import { ApiProperty } from '@nestjs/swagger';
import type { SeatState } from '../../tenancy/identity/held.rules.js';
import { CONSOLE_ACCESS, type ConsoleAccess } from '../../tenancy/tenants/administrators.js';
import type { EffectSteps, Step } from './effect-steps.rules.js';

const STATES = ['active', 'inactive', 'deleted', null] as const;
const SEATS = ['held', 'none', 'waiting'] as const satisfies readonly SeatState[];

class RoleStep implements Step<string | null> {
  @ApiProperty({ type: String, nullable: true, example: 'Admin', description: 'Null: no role.' })
  from!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'User' })
  to!: string | null;
}

class StatusStep implements Step<EffectSteps['status']['to']> {
  @ApiProperty({ type: String, nullable: true, enum: STATES, description: 'Null: the user was never in force.' })
  from!: EffectSteps['status']['from'];
  @ApiProperty({ type: String, nullable: true, enum: STATES })
  to!: EffectSteps['status']['to'];
}

class SeatStep implements Step<SeatState> {
  @ApiProperty({ enum: SEATS })
  from!: SeatState;
  @ApiProperty({ enum: SEATS, description: '`held`: as long as a seat is free.' })
  to!: SeatState;
}

class ConsoleStep implements Step<ConsoleAccess> {
  @ApiProperty({ enum: CONSOLE_ACCESS })
  from!: ConsoleAccess;
  @ApiProperty({ enum: CONSOLE_ACCESS })
  to!: ConsoleAccess;
}

export class EffectStepsBody implements EffectSteps {
  @ApiProperty({ type: RoleStep })
  role!: RoleStep;
  @ApiProperty({ type: StatusStep })
  status!: StatusStep;
  @ApiProperty({ type: SeatStep })
  seat!: SeatStep;
  @ApiProperty({ type: ConsoleStep, description: 'The right of administration.' })
  console!: ConsoleStep;
}
