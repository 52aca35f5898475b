// Makes this Node.js say that it is too old for the program, so that its door has to start another one.
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });
