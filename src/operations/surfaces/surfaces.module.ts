import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { FailureFace } from '../../base/http/http.errors.js';
import { RefusalFace } from '../../directory-sync/routes/bulk/scim-bulk.service.js';
import { BulkRefusals } from './refusal.js';
import { SurfaceFilter } from './exception.filter.js';

/** How a failure looks to each audience. Global, because SCIM answers bulk operations with the same bodies. */
@Global()
@Module({
  providers: [
    SurfaceFilter,
    { provide: APP_FILTER, useExisting: SurfaceFilter },
    { provide: RefusalFace, useClass: BulkRefusals },
    { provide: FailureFace, useExisting: SurfaceFilter },
  ],
  exports: [SurfaceFilter, RefusalFace, FailureFace],
})
export class SurfacesModule {}
