import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { filtersFrom } from '../parts/filters.js';
import { Frame } from './frame/frame.js';
import { NotFound } from './frame/not-found.js';
import { OverviewPage } from './overview/overview-page.js';

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });
const users = () => import('./users/pages.js');
const directories = () => import('./directories/pages.js');
const seats = () => import('./seats/pages.js');
const work = () => import('./held/pages.js');

const overview = createRoute({ getParentRoute: () => root, path: '/', component: OverviewPage });
const userList = createRoute({
  getParentRoute: () => root,
  path: '/users',
  validateSearch: filtersFrom(['q', 'status', 'role', 'seat', 'held', 'source', 'directory']),
  component: lazyRouteComponent(users, 'UsersPage'),
});
const user = createRoute({
  getParentRoute: () => root,
  path: '/users/$id',
  component: lazyRouteComponent(users, 'UserPage'),
});
const held = createRoute({
  getParentRoute: () => root,
  path: '/held',
  validateSearch: filtersFrom(['reason', 'directory']),
  component: lazyRouteComponent(work, 'HeldPage'),
});
const tasks = createRoute({
  getParentRoute: () => root,
  path: '/tasks',
  validateSearch: filtersFrom(['state', 'kind']),
  component: lazyRouteComponent(work, 'TasksPage'),
});
const directoryList = createRoute({
  getParentRoute: () => root,
  path: '/directories',
  component: lazyRouteComponent(directories, 'DirectoriesPage'),
});
const directory = createRoute({
  getParentRoute: () => root,
  path: '/directories/$id/{-$tab}',
  validateSearch: filtersFrom(['kind', 'administrators', 'status', 'user', 'request_id']),
  component: lazyRouteComponent(directories, 'DirectoryPage'),
});
const seatPage = createRoute({
  getParentRoute: () => root,
  path: '/seats/{-$tab}',
  validateSearch: filtersFrom(['as_of', 'from', 'to']),
  component: lazyRouteComponent(seats, 'SeatsPage'),
});

/** The pages of the console. Each group of pages is loaded when it is opened first. */
export const router = createRouter({
  basepath: '/console',
  routeTree: root.addChildren([overview, userList, user, held, tasks, directoryList, directory, seatPage]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
