/** The durable engine's log is for its authors; what people must know are events. */
export const silentLogger = { info() {}, debug() {}, warn() {}, error() {} };
