/** Changes whenever the order of steps of a workflow does; a run continues only under the version that started it. */
export const codeVersion = '15';
