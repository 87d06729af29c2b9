import { applyDecorators, Controller, UseGuards, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../../base/http/api-answers.js';
import { ValidateBody } from '../../base/http/validate.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { OperatorGuard } from './operator.guard.js';
import { OperatorOnly } from './caller.js';

/** Options of an API controller. */
export interface ApiControllerOptions {
  /** Also below `/api` without a version, as the resources that stood there from the start. */
  unversioned?: boolean;
  /** The heading in the documentation; the path when left out. */
  tag?: string;
}

/** The addresses of a resource: `/api/v1/x` and `/v1/x` are one, and for the oldest ones `/api/x` too. */
function apiPaths(path: string, unversioned = false): string[] {
  return [`api/v1/${path}`, `v1/${path}`, ...(unversioned ? [`api/${path}`] : [])];
}

/** A controller of the API: its addresses, its guard, its validation, its place in the documentation. */
export function ApiController(path: string, options: ApiControllerOptions = {}): ClassDecorator {
  return applyDecorators(
    Controller(apiPaths(path, options.unversioned)),
    UseGuards(ApiKeyGuard),
    UsePipes(ValidateBody),
    ApiTags(options.tag ?? path),
    ApiBearerAuth('api_key'),
    ApiProblems(),
  );
}

/** A controller of the installation's own administration. */
export function OperatorController(path: string): ClassDecorator {
  return applyDecorators(
    Controller(apiPaths(path)),
    UseGuards(OperatorGuard),
    UsePipes(ValidateBody),
    OperatorOnly(),
    ApiTags(path),
    ApiBearerAuth('operator_token'),
    ApiProblems(),
  );
}
