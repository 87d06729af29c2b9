export { UsersPage } from './users-page.js';
export { UserPage } from './user-page.js';
