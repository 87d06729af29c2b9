import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { engineApi } from './engine-api.js';
import { platformApi } from './platform-api.js';

/**
 * The APIs of a hiring platform and of an interview engine as OpenAPI, for their builders; the pages for people are
 * `docs/integrate/platform.md` and `docs/integrate/interview-engine.md`.
 */
@Controller('docs')
@ApiExcludeController()
export class PlatformDocsController {
  @Get('platform.json')
  description(): object {
    return platformApi();
  }

  @Get('interview-engine.json')
  engine(): object {
    return engineApi();
  }
}
