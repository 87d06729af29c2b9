import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { platformApi } from './platform-api.js';

/** The API of a hiring platform as OpenAPI, for its builder; the page for people is `docs/integrate/platform.md`. */
@Controller('docs')
@ApiExcludeController()
export class PlatformDocsController {
  @Get('platform.json')
  description(): object {
    return platformApi();
  }
}
