/** The Node arguments of the image as it ships; an owner may give it others. */
export const IMAGE_FLAGS = [
  '--permission',
  '--allow-fs-read=/app',
  '--allow-child-process',
  '--disable-warning=PERM0002',
] as const
