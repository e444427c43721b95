import { index, type RouteConfig, route } from '@react-router/dev/routes';

export default [
  index('routes/home.tsx'),
  route('account', 'routes/account.tsx'),
  route('api/me', 'routes/api.me.ts'),
  // Middleware runs only for routes, so /sign-in, /callback and /sign-out need this route.
  route('*', 'routes/not-found.ts'),
] satisfies RouteConfig;
