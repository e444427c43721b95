/** A server that was started for a test, on this machine and with nothing in it. */
export interface Service {
  readonly url: string;
  /** Ends the server and keeps what it has written down; resolves once it is gone. */
  stop(): Promise<void>;
  /** Starts it again, at the same address; resolves once it answers. */
  start(): Promise<void>;
  /** Ends the server and removes its folder. */
  close(): Promise<void>;
}
