// The parts of Next's modules that we use. Declared here so that the package compiles where Next is not installed.

declare module 'next/headers' {
  export function headers(): Promise<{ get(name: string): string | null }>;
  export function cookies(): Promise<{
    getAll(): readonly { readonly name: string; readonly value: string }[];
    /** Throw while a page is being rendered. */
    set(name: string, value: string, attributes: object): unknown;
  }>;
}

declare module 'next/navigation' {
  export function redirect(location: string): never;
}

declare module 'next/server' {
  /** Wait for a request. Never resolves while Next prerenders a page. */
  export function connection(): Promise<void>;
  /** A URL that knows the base path and the locales. */
  interface NextURL {
    href: string;
    readonly host: string;
    readonly origin: string;
    /** Without the base path. */
    readonly pathname: string;
    clone(): NextURL;
  }
  export const NextRequest: {
    new (request: Request, init: { readonly headers: Headers }): Request & { readonly nextUrl: NextURL };
  };
  export const NextResponse: { next(init: { readonly request: { readonly headers: Headers } }): Response };
}
