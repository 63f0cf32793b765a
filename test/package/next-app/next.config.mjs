// The second bundler builds what the compiler has already checked.
export default { typescript: { ignoreBuildErrors: process.env.SKIP_TYPES === "1" } };
