import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { isLongerThan } from '../../base/characters.js';
import { Ruled, type FieldOptions, isTidy, tidy, Nested, NestedList, Whole, Text } from '../../base/http/fields.js';
import { ShownType } from '../../base/http/shown.js';
import { ServerSet } from '../../base/http/validate.js';

/** Declares text with line breaks and tabs; blanks around it are cut, and other control characters refused. */
function Prose(options: FieldOptions & { max: number }): PropertyDecorator {
  const { max } = options;
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? tidy(value.replaceAll('\r\n', '\n')) : value,
    ),
    Ruled((value) => problemOf(value, max), { type: String, maxLength: max, minLength: 1 }, options),
  );
}

function problemOf(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return 'must be text';
  if (value === '') return 'must not be empty';
  if (!isTidy(value.replaceAll(/[\n\t]/g, ''))) return 'must not contain control characters';
  return isLongerThan(value, max) ? `must have at most ${max} characters` : null;
}

const WEB_ADDRESS = {
  test: /^https?:\/\/[^\s/]\S*$/i,
  message: 'must be an address that begins with https:// or http://',
};

/** The bound keeps out numbers that JSON can write and no scale uses. */
const MOST = 1_000_000;

function Score(options: {
  optional?: boolean;
  nullable?: boolean;
  description?: string;
  example?: number;
}): PropertyDecorator {
  const isScore = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= MOST;
  return Ruled(
    (value) => (isScore(value) ? null : `must be a number from -${MOST} to ${MOST}`),
    { type: Number },
    options,
  );
}

class Scale {
  @Score({ example: 1 })
  min!: number;
  @Score({ example: 5 })
  max!: number;
}

class CriterionFields {
  @Text({ max: 200, example: 'System design' })
  name!: string;
  @Score({ optional: true, nullable: true, example: 4, description: 'On `scale`; null: not rated.' })
  score?: number | null;
  @Nested(() => Scale, { optional: true, nullable: true, description: 'Required with a score.' })
  scale?: Scale | null;
  @Prose({ max: 4000, optional: true, nullable: true, example: 'Named the bottleneck, and measured it.' })
  evidence?: string | null;
}

@ServerSet('interview_id', 'created_at')
export class PutScorecard {
  @Whole({
    min: 1,
    max: 1_000_000,
    optional: true,
    nullable: true,
    description:
      'Left out: the next version. Another one than the next is 409, unless it is the newest, word for word.',
  })
  version?: number | null;
  @Score({ optional: true, nullable: true, example: 4.2 })
  overall?: number | null;
  @Text({ max: 200, optional: true, nullable: true, example: 'advance' })
  recommendation?: string | null;
  @Prose({ max: 8000, optional: true, nullable: true, example: 'Solid system design; concise answers.' })
  summary?: string | null;
  @NestedList(() => CriterionFields, { max: 50, optional: true, nullable: true })
  criteria?: CriterionFields[] | null;
  @Text({ max: 2000, optional: true, nullable: true, format: 'uri', pattern: WEB_ADDRESS })
  link?: string | null;
}

class CriterionBody extends ShownType(CriterionFields, ['name', 'score', 'scale', 'evidence']) {}

export class ScorecardBody extends ShownType(PutScorecard, ['overall', 'recommendation', 'summary', 'link']) {
  @ApiProperty({ example: 'int_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  interview_id!: string;
  @ApiProperty({ type: 'integer', minimum: 1 })
  version!: number;
  @ApiProperty({ type: [CriterionBody] })
  criteria!: CriterionBody[];
  @ApiProperty({ type: String, format: 'date-time' })
  created_at!: string;
}
