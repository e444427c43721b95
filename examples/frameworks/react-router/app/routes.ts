import { index, type RouteConfig, route } from '@react-router/dev/routes';

export default [
  index('routes/home.tsx'),
  route('account', 'routes/account.tsx'),
  route('api/me', 'routes/api.me.ts'),
  // Middleware runs where there is a route: by this one it answers /sign-in, /callback and /sign-out.
  route('*', 'routes/not-found.ts'),
] satisfies RouteConfig;
