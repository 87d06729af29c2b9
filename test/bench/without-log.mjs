// Loaded by a service of the bench before its program: the service answers and writes no row of the log of requests.
import { RequestRows } from '../../dist/overview/requests/request-rows.js';

RequestRows.prototype.note = () => undefined;
