export { HeldPage } from './held-page.js';
export { TasksPage } from './tasks-page.js';
