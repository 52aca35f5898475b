declare const __CHARRETTE_VERSION__: string | undefined;

/** Put in by the build; sources run without one. */
export const version = typeof __CHARRETTE_VERSION__ === 'string' ? __CHARRETTE_VERSION__ : '0.0.0-source';
