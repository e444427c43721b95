// Of Next's modules, what is used here: the package compiles, and is used, where Next is not installed.

declare module 'next/headers' {
  export function headers(): Promise<{ get(name: string): string | null }>;
  export function cookies(): Promise<{
    getAll(): readonly { readonly name: string; readonly value: string }[];
    /** Throws while a page is rendered. */
    set(name: string, value: string, attributes: object): unknown;
  }>;
}

declare module 'next/navigation' {
  export function redirect(location: string): never;
}

declare module 'next/server' {
  /** Waits for a request; while Next prerenders a page, forever. */
  export function connection(): Promise<void>;
  export const NextResponse: { next(init: { readonly request: { readonly headers: Headers } }): Response };
}
